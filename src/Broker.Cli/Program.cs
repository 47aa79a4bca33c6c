using Broker.Cli.CommandLine;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;

return await new BrokerCommand(Console.Out, Console.Error, Screen.OfProcess(), static () => new ServeHost(), ProgramName.OfProcess())
    .RunAsync(args, CancellationToken.None);
