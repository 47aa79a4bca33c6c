return Broker.ZeroMqLoad.CommandLine.Create().Parse(args).Invoke();
