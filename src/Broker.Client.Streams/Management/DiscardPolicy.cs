namespace Broker.Client.Streams;

/// <summary>The messages that a full stream discards.</summary>
public enum DiscardPolicy
{
    /// <summary>The oldest messages.</summary>
    Old,

    /// <summary>New messages: the publisher gets an error.</summary>
    New,

    /// <summary>A value of a newer server. It cannot be sent.</summary>
    Other,
}
