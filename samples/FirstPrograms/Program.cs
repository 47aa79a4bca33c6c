using Broker.Client;
using FirstPrograms;

// dotnet run --project samples/FirstPrograms -- nats://127.0.0.1:4222
string server = args.Length > 0 ? args[0] : "nats://127.0.0.1:4222";
try
{
    foreach (Func<string, TextWriter, Task> program in (Func<string, TextWriter, Task>[])
        [
            PublishAndSubscribe.RunAsync, Handlers.RunAsync, RequestAndReply.RunAsync, QueueGroup.RunAsync, Headers.RunAsync,
            JsonValues.RunAsync, Wildcards.RunAsync, ManyReplies.RunAsync, Errors.RunAsync, Draining.RunAsync,
        ])
    {
        await program(server, Console.Out);
    }

    return 0;
}
catch (Exception e) when (e is ClientException or TimeoutException or FormatException)
{
    // No server is running, or the address is wrong.
    Console.Error.WriteLine($"FirstPrograms: {e.Message}");
    return 1;
}
