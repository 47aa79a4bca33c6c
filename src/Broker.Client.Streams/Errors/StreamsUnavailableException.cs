namespace Broker.Client.Streams;

/// <summary>No server answers requests about streams: JetStream is not enabled, or the domain is another one.</summary>
public sealed class StreamsUnavailableException : StreamException
{
    internal StreamsUnavailableException(string subject, string? stream, string? consumer, Exception? inner)
        : base(
            $"No server answers '{subject}'. JetStream is not enabled on the server or for the account, it is still starting, or the domain or the prefix is wrong (StreamsOptions.Domain, StreamsOptions.ApiPrefix).",
            inner)
    {
        Status = 503;
        Stream = stream;
        Consumer = consumer;
    }
}
