#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Client.Core;
using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Sends one request to several services.</summary>
public static class ManyReplies
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var first = await nats.Connection.SubscribeCoreAsync<string>("who");
        await using var second = await nats.Connection.SubscribeCoreAsync<string>("who");
        var answering = Task.WhenAll(new[] { (first, "one"), (second, "two") }.Select(async service =>
        {
            await foreach (var question in service.Item1.Msgs.ReadAllAsync())
            {
                await question.ReplyAsync(service.Item2);
            }
        }));
        await foreach (var reply in nats.Connection.RequestManyAsync<string, string>("who", "is there?", replyOpts: new NatsSubOpts { MaxMsgs = 2 }))
        {
            output.WriteLine(reply.Data);
        }
    }
}
