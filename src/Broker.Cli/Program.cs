using Broker.Cli.CommandLine;
using Broker.Cli.Serving;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

return await new BrokerCommand(
        Console.Out,
        Console.Error,
        Screen.OfProcess(),
        ShellStreams.OfProcess(),
        static () => new ServeHost(),
        ProgramName.OfProcess())
    .RunAsync(args, CancellationToken.None);
