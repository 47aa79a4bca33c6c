using Broker.Client;
using Messaging;

// dotnet run --project samples/Messaging -- nats://127.0.0.1:4222
string server = args.Length > 0 ? args[0] : "nats://127.0.0.1:4222";
try
{
    await PublishAndSubscribe.RunAsync(server, Console.Out);
    await RequestAndReply.RunAsync(server, Console.Out);
    await EncodedOrders.RunAsync(server, Console.Out);
    await BoundChannels.RunAsync(server, Console.Out);
    await Calculator.RunAsync(server, Console.Out);
    return 0;
}
catch (Exception e) when (e is ClientException or TimeoutException or FormatException)
{
    // No server is running, or the address is wrong.
    Console.Error.WriteLine($"Messaging: {e.Message}");
    return 1;
}
