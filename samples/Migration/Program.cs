using System.ComponentModel;
using Broker.Client;
using Migration;

// Runs three systems of ZeroMQ programs at three steps of their migration to NATS. The folder "programs" contains the
// unmodified pyzmq programs. Examples:
//   dotnet run --project samples/Migration -- events
//   dotnet run --project samples/Migration -- commands nats://127.0.0.1:4222
// Without an address, a server in this process is used. The variable PYTHON may name an interpreter with pyzmq.
Func<Step, string?, TextWriter, Task>? system = args switch
{
    ["events", ..] => DeviceEvents.RunAsync,
    ["commands", ..] => DeviceCommands.RunAsync,
    ["logs", ..] => CentralLogging.RunAsync,
    _ => null,
};
if (system is null)
{
    Console.Error.WriteLine(
        "Usage: Migration events|commands|logs [address of a NATS server; default: a server in this process]");
    return 1;
}

try
{
    foreach (Step step in Enum.GetValues<Step>())
    {
        Console.WriteLine(step);
        await system(step, args.Length > 1 ? args[1] : null, Console.Out);
    }

    return 0;
}
catch (Exception e) when (e is ClientException or TimeoutException or FormatException or Win32Exception)
{
    // No server is running, the address is wrong, or there is no Python.
    Console.Error.WriteLine($"Migration: {e.Message}");
    return 1;
}
