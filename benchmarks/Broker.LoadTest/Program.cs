return Broker.LoadTest.CommandLine.Create().Parse(args).Invoke();
