using Broker.Client;
using Broker.Client.Streams;
using StreamPrograms;

// dotnet run --project samples/StreamPrograms -- nats://127.0.0.1:4222
string server = args.Length > 0 ? args[0] : "nats://127.0.0.1:4222";
try
{
    await Fetching.RunAsync(server, Console.Out);
    await Management.RunAsync(server, Console.Out);
    await Buckets.RunAsync(server, Console.Out);
    await Objects.RunAsync(server, Console.Out);
    return 0;
}
catch (Exception e) when (e is ClientException or StreamException or TimeoutException or FormatException)
{
    // No server is running, it has no streams, or the address is wrong.
    Console.Error.WriteLine($"StreamPrograms: {e.Message}");
    return 1;
}
