namespace Broker.Client;

/// <summary>The kinds of operations that a server refuses for lack of permission.</summary>
internal enum ViolationKind
{
    /// <summary>To subscribe.</summary>
    Subscribe,

    /// <summary>To publish.</summary>
    Publish,

    /// <summary>To publish with a reply subject.</summary>
    ReplySubject,
}
