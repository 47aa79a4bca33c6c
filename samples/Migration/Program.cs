using Migration;

// Three systems of ZeroMQ programs on their way to NATS, each before, between and half-way. In the folder programs they are unmodified pyzmq. For
// example:
//   dotnet run --project samples/Migration -- events
//   dotnet run --project samples/Migration -- commands nats://127.0.0.1:4222
// Without an address the server is one of this process. The variable PYTHON names an interpreter that has pyzmq.
Func<Step, string?, TextWriter, Task>? system = args switch
{
    ["events", ..] => DeviceEvents.RunAsync,
    ["commands", ..] => DeviceCommands.RunAsync,
    ["logs", ..] => CentralLogging.RunAsync,
    _ => null,
};
if (system is null)
{
    Console.Error.WriteLine("events, commands or logs, and the address of a NATS server if it is not to be one of this process");
    return 1;
}

foreach (Step step in Enum.GetValues<Step>())
{
    Console.WriteLine(step);
    await system(step, args.Length > 1 ? args[1] : null, Console.Out);
}

return 0;
