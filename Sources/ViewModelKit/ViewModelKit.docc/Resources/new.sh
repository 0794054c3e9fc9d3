viewmodelctl new teatimer
cd teatimer
rm Sources/TeatimerApp/Tasks.swift Tests/TeatimerAppTests/TasksTests.swift
