namespace Broker.Client.Streams;

/// <summary>What <see cref="PushedMessages"/> has read.</summary>
internal enum PushedKind
{
    /// <summary>The subscription was ended from outside, by a drain or a close for example.</summary>
    Ended,

    /// <summary>A consumer was created. Its messages follow.</summary>
    Started,

    /// <summary>The consumer has delivered all messages that there are.</summary>
    Idle,

    /// <summary>A message.</summary>
    Message,
}
