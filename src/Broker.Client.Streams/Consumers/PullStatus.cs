using System.Globalization;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>A status by which the server ends a request for messages.</summary>
/// <param name="Code">The number of the status.</param>
/// <param name="Text">The text after the number, which tells what the number leaves open.</param>
internal readonly record struct PullStatus(int Code, string Text)
{
    /// <summary>The only status that ends no request: the server is there and has no messages.</summary>
    internal const int IdleHeartbeat = 100;

    private const int BadRequest = 400;
    private const int NotFound = 404;
    private const int Expired = 408;
    private const int Conflict = 409;
    private const int NoResponders = 503;

    /// <summary>Whether the server had no messages for the request in time.</summary>
    internal bool IsWithoutMessages => Code is NotFound or Expired;

    /// <summary>Whether the last message of the request came before this status.</summary>
    internal bool IsBatchCompleted => Has("Batch Completed");

    internal bool IsNoResponders => Code == NoResponders;

    /// <summary>Returns the number of the status in a header block. 0 if there is none.</summary>
    internal static int CodeOf(ReadOnlySpan<byte> headers) => headers.IsEmpty ? 0 : HeaderBlock.Status(headers);

    /// <summary>Returns the error that the reader gets. Null if the request can be repeated.</summary>
    /// <param name="consumer">The consumer.</param>
    /// <param name="batchBytes">The size limit of the request.</param>
    /// <param name="mustFit">Whether it is an error that the next message is larger than the request.</param>
    internal StreamException? ToFailure(ConsumerInfo consumer, long batchBytes, bool mustFit)
    {
        if (Code == BadRequest)
        {
            return Refusal(consumer, "Check the options of the call.");
        }

        if (Code != Conflict)
        {
            return null;
        }

        if (Has("Consumer Deleted"))
        {
            return new ConsumerGoneException(consumer.Stream, consumer.Name, deleted: true);
        }

        if (Has("Consumer is push based"))
        {
            return Refusal(consumer, "Messages of a consumer with a DeliverSubject cannot be requested.");
        }

        if (Has("Exceeded MaxRequest"))
        {
            return Refusal(consumer, "The consumer's MaxBatch, MaxExpires or MaxBytes permits less than the options of the call.");
        }

        return mustFit && Has("Message Size Exceeds MaxBytes")
            ? Refusal(
                consumer,
                string.Create(CultureInfo.InvariantCulture, $"The next message is larger than the {batchBytes:N0} bytes of one request (ConsumeOptions.MaxBytes)."))
            : null;
    }

    private bool Has(string part) => Text.Contains(part, StringComparison.OrdinalIgnoreCase);

    private StreamException Refusal(ConsumerInfo consumer, string remedy)
        => new($"The request for messages (stream '{consumer.Stream}', consumer '{consumer.Name}') was refused: {Text} (status {Code}). {remedy}");
}
