;;; calculator.el --- A calculator in Emacs, on jsonrpc.el -*- lexical-binding: t -*-
;; The keys 0-9 . + - * / = press, u undoes, q closes the calculator.
;; It shows: header framing by a library, requests that wait, errors as signals, frames, the end of the daemon.
;; Run it: VIEWMODELD_SOCKET=/path/to/vm.sock emacs -nw -l calculator.el -f vm-calculator
(require 'jsonrpc)
(defvar vm-connection nil "The connection to the daemon.")
(defvar vm-picture nil "The outputs of the calculator, a plist.")

(defun vm-show (values &optional note)
  "Put VALUES into the picture, and show it with a NOTE."
  (while values (setq vm-picture (plist-put vm-picture (pop values) (pop values))))
  (with-current-buffer (get-buffer-create "*calculator*")
    (erase-buffer)
    (insert (plist-get vm-picture :led) "\n" (or note "") "\n")
    (mapc (lambda (row) (insert (plist-get row :text) "\n")) (plist-get vm-picture :operations))))

(defun vm-call (method &rest params)
  "Send a request of METHOD with PARAMS, and show its error."
  (condition-case problem (jsonrpc-request vm-connection method (vconcat params))
    (jsonrpc-error (vm-show nil (alist-get 'jsonrpc-error-message (cddr problem))))))

(defun vm-press () "Press the key that was typed." (interactive) (vm-call 'calculator.press (this-command-keys)))
(defun vm-undo () "Take the newest operation back." (interactive) (vm-call 'calculator.undo))
(defun vm-quit () "Close the calculator." (interactive) (jsonrpc-shutdown vm-connection) (kill-buffer))

(defun vm-calculator ()
  "Open the calculator of the session \"desk\"."
  (interactive)
  (setq vm-connection (jsonrpc-process-connection
    :name "viewmodeld" :on-shutdown (lambda (_) (vm-show nil "The daemon has closed the connection."))
    :notification-dispatcher (lambda (_ _method frame) (vm-show (plist-get frame :values)))
    :process (make-network-process :name "viewmodeld" :family 'local :service (getenv "VIEWMODELD_SOCKET"))))
  (jsonrpc-request vm-connection 'session.attach '(:session "desk"))
  (vm-show (plist-get (jsonrpc-request vm-connection 'viewModel.bind
    '(:id "calculator" :outputs ["led" "operations"] :patches :json-false)) :values))
  (switch-to-buffer "*calculator*")
  (use-local-map (make-sparse-keymap))
  (mapc (lambda (key) (local-set-key (string key) #'vm-press)) "0123456789.+-*/=")
  (mapc (lambda (key) (local-set-key (car key) (cdr key))) '(("u" . vm-undo) ("q" . vm-quit))))
