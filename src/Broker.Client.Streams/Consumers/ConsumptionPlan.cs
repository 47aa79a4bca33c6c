namespace Broker.Client.Streams;

/// <summary>The numbers that a consumption requests.</summary>
/// <param name="MaxMessages">The largest number of messages.</param>
/// <param name="MaxBytes">The largest size of the messages.</param>
/// <param name="Expires">How long the server keeps a request.</param>
/// <param name="Heartbeat">The pause after which the server sends a heartbeat. Zero for none.</param>
/// <param name="Once">Whether only one request is made.</param>
/// <param name="NoWait">Whether the server must not wait for messages.</param>
/// <param name="Progress">The interval of reports for messages that are held. Null for none.</param>
/// <param name="Drain">Whether a cancelled reader gets the messages that are here and on their way.</param>
/// <param name="Recreate">Whether a consumer that is gone is created again.</param>
internal sealed record ConsumptionPlan(
    int MaxMessages, long MaxBytes, TimeSpan Expires, TimeSpan Heartbeat, bool Once, bool NoWait = false, TimeSpan? Progress = null,
    bool Drain = true, bool Recreate = false);
