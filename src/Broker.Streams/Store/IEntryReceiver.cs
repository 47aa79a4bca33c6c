namespace Broker.Streams;

/// <summary>Receives messages that are to be read.</summary>
internal interface IEntryReceiver
{
    /// <summary>The bytes that may still be added.</summary>
    long Room { get; }

    void Add(in MessageEntry entry);
}
