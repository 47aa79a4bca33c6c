namespace Broker.ZeroMqLoad.Ends;

/// <summary>The form in which an end with NetMQ sends and receives.</summary>
internal enum NetMqForm
{
    /// <summary>An array for each message, as most programs do: SendFrame and ReceiveFrameBytes.</summary>
    Bytes,

    /// <summary>One Msg for all messages, which is the form with the fewest copies.</summary>
    Msg,
}
