using Broker.Client;

namespace FirstPrograms;

/// <summary>Sends one request to several services.</summary>
public static class ManyReplies
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        nats.Subscribe("who", question => question.Respond("one"));
        nats.Subscribe("who", question => question.Respond("two"));
        await foreach (var reply in nats.RequestManyAsync("who", "is there?", new() { MaxReplies = 2 }))
        {
            output.WriteLine(reply.Text);
        }
    }
}
