using Broker.Client;

namespace FirstPrograms;

/// <summary>Sends a request and gets the reply.</summary>
public static class RequestAndReply
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        nats.Subscribe("upper", question => question.Respond(question.Text.ToUpperInvariant()));
        var reply = await nats.RequestAsync("upper", "quiet");
        output.WriteLine(reply.Text);
    }
}
