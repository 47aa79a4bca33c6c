#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Client.Core;
using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Sends requests that nobody answers.</summary>
public static class Errors
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var slow = await nats.Connection.SubscribeCoreAsync<string>("slow");
        try
        {
            await nats.RequestAsync<string, string>("nobody", "hello");
        }
        catch (NatsNoRespondersException)
        {
            output.WriteLine("nobody subscribes");
        }

        try
        {
            await nats.RequestAsync<string, string>("slow", "hello", replyOpts: new NatsSubOpts { Timeout = TimeSpan.FromSeconds(0.1) });
        }
        catch (NatsNoReplyException)
        {
            output.WriteLine("no reply in time");
        }
    }
}
