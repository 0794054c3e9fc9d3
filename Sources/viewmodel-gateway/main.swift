import ViewModelGateway

await ViewModelGateway.run()
