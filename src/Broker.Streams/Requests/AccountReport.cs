using System.Text.Json;
using Broker.Server;

namespace Broker.Streams;

/// <summary>Describes an account for monitoring. Used on the loop of the account.</summary>
internal static class AccountReport
{
    internal static AccountStreamsDescription Of(ApiContext context, string account, StreamsQuery query)
    {
        DateTime now = context.Now;
        var details = new List<StreamDetail>();
        long file = 0;
        long memory = 0;
        long messages = 0;
        int consumers = 0;
        foreach (ServedStream stream in context.Streams.All)
        {
            StreamSummary summary = stream.Store.Summarize(stream.Stored);
            bool isInMemory = stream.Config.Storage is StreamRules.Memory;
            file += isInMemory ? 0 : summary.Bytes;
            memory += isInMemory ? summary.Bytes : 0;
            messages += summary.Messages;
            consumers += stream.Consumers.Count;
            if (query.WithStreams)
            {
                details.Add(new StreamDetail
                {
                    Name = stream.Name,
                    Created = stream.Created,
                    Config = query.WithConfiguration ? stream.Config : null,
                    State = StreamDescriptions.StateOf(stream, summary, null),
                    ConsumerDetail = query.WithConsumers && stream.Consumers.Count > 0 ? [.. stream.InOrder().Select(consumer => ConsumerDescriptions.Of(consumer, now, query.WithConfiguration))] : null,
                });
            }
        }

        return new AccountStreamsDescription(account)
        {
            Limits = context.Limits,
            File = file,
            Memory = memory,
            Messages = messages,
            Streams = context.Streams.Count,
            Consumers = consumers,
            Requests = (long)context.Responder.Requests,
            Errors = (long)context.Responder.Errors,
            StreamsJson = query.WithStreams ? JsonSerializer.SerializeToUtf8Bytes(details, WireJson.Default.ListStreamDetail) : default,
        };
    }
}
