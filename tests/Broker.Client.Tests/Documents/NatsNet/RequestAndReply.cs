#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Sends a request and gets the reply.</summary>
public static class RequestAndReply
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var questions = await nats.Connection.SubscribeCoreAsync<string>("upper");
        var answering = Task.Run(async () =>
        {
            await foreach (var question in questions.Msgs.ReadAllAsync())
            {
                await question.ReplyAsync(question.Data!.ToUpperInvariant());
            }
        });
        var reply = await nats.RequestAsync<string, string>("upper", "quiet");
        output.WriteLine(reply.Data);
        await questions.UnsubscribeAsync();
        await answering;
    }
}
