namespace Broker.Client;

/// <summary>What a client wanted to do without permission.</summary>
internal enum ViolationKind
{
    /// <summary>To subscribe.</summary>
    Subscribe,

    /// <summary>To publish.</summary>
    Publish,

    /// <summary>To publish with a reply subject.</summary>
    ReplySubject,
}
