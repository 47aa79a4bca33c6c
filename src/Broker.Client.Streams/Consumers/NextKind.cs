namespace Broker.Client.Streams;

/// <summary>The result of a request for one message.</summary>
internal enum NextKind
{
    /// <summary>A message.</summary>
    Message,

    /// <summary>The server has waited and has no message.</summary>
    Nothing,

    /// <summary>An error or a lost server. The general way of reading finds out which, and may go on.</summary>
    Other,
}
