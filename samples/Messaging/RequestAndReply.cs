using System.Text;
using Broker.Client;

namespace Messaging;

/// <summary>Sends a request to one responder, and a request to several.</summary>
public static class RequestAndReply
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(server);
        nats.Subscribe("upper", static (in message) => message.Respond(Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(message.Body).ToUpperInvariant())));
        nats.Subscribe("who", static (in message) => message.Respond("one"u8));
        nats.Subscribe("who", static (in message) => message.Respond("other"u8));

        var answer = await nats.RequestAsync("upper", "quiet"u8.ToArray(), TimeSpan.FromSeconds(30));
        await output.WriteLineAsync(Encoding.UTF8.GetString(answer.Body.Span));

        var all = await nats.GatherAsync("who", default, new() { MaxReplies = 2, Deadline = TimeSpan.FromSeconds(30) });
        // Replies may arrive in any order.
        await output.WriteLineAsync(string.Join(", ", all.Select(static a => Encoding.UTF8.GetString(a.Body.Span)).Order()));

        try
        {
            await nats.RequestAsync("nobody", default, TimeSpan.FromSeconds(30));
        }
        catch (NoRespondersException e)
        {
            await output.WriteLineAsync(e.Message);
        }
    }
}
