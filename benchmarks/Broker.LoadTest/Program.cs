using System.CommandLine;

// A run that is stopped with Ctrl+C waits for what it has sent, and then prints what it has measured.
return Broker.LoadTest.CommandLine.Create().Parse(args).Invoke(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromMinutes(2) });
