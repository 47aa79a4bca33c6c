using Broker.Client;

namespace Messaging;

/// <summary>Sends a request to one responder, and a request to several.</summary>
public static class RequestAndReply
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(server);
        nats.Subscribe("upper", message => message.Respond(message.Text.ToUpperInvariant()));
        nats.Subscribe("who", message => message.Respond("one"));
        nats.Subscribe("who", message => message.Respond("other"));

        var answer = await nats.RequestAsync("upper", "quiet", TimeSpan.FromSeconds(30));
        await output.WriteLineAsync(answer.Text);

        var all = await nats.GatherAsync("who", default, new() { MaxReplies = 2, Deadline = TimeSpan.FromSeconds(30) });
        // Replies may arrive in any order.
        await output.WriteLineAsync(string.Join(", ", all.Select(static a => a.Text).Order()));

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
