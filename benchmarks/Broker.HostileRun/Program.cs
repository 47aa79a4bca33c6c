return await Broker.HostileRun.CommandLine.Create().Parse(args).InvokeAsync();
