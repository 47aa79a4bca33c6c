namespace Broker.Client;

/// <summary>A request in the <see cref="RequestTable"/> that waits for one or more replies.</summary>
internal abstract class AwaitedRequest
{
    /// <summary>The value of <see cref="Deadline"/> for a request without a deadline.</summary>
    internal const long Never = long.MaxValue;

    /// <summary>The number in the reply subject. 0 while the request is in no table.</summary>
    internal long Number { get; set; }

    /// <summary>The secret in the reply subject, which a reply must repeat. Used under the table's gate.</summary>
    internal ulong Secret { get; set; }

    /// <summary>
    /// The time at which the request fails, as <see cref="Environment.TickCount64"/>. Used under the table's gate.
    /// </summary>
    internal long Deadline { get; set; }

    /// <summary>The subject of the request.</summary>
    internal string Subject { get; set; } = "";

    /// <summary>Receives a reply to the request that had this number. Called on the loop.</summary>
    internal abstract void ReceiveReply(in MessageView reply, long number, RequestTable table);

    /// <summary>
    /// Ends the request because no reply came in time. Called once, by the code that has removed it from the table.
    /// </summary>
    /// <param name="loopIsBlocked">Whether the loop did not run, so that it could not receive a reply.</param>
    internal abstract void TimeOut(bool loopIsBlocked = false);

    /// <summary>
    /// Ends the request with an exception of its own because no reply will come. Called like <see cref="TimeOut"/>.
    /// </summary>
    internal abstract void Fail(Exception reason);

    /// <summary>
    /// Ends this request for a cause that also ends other requests. Each request gets an exception of its own. Called
    /// like <see cref="TimeOut"/>.
    /// </summary>
    internal abstract void FailWithOthers(Exception cause);
}
