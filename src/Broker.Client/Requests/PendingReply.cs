using Broker.Client.Subscriptions;

namespace Broker.Client.Requests;

/// <summary>A request that waits in the <see cref="RequestTable"/> for one answer or several.</summary>
internal abstract class PendingReply
{
    /// <summary>Never, as a <see cref="Deadline"/>.</summary>
    internal const long Never = long.MaxValue;

    /// <summary>What ends its reply subject; 0 while it is in no table.</summary>
    internal long Number { get; set; }

    /// <summary>When it is given up, as <see cref="Environment.TickCount64"/>. Under the table's gate.</summary>
    internal long Deadline { get; set; }

    /// <summary>The subject of the request.</summary>
    internal string Subject { get; set; } = "";

    /// <summary>Takes an answer to the request that had this number. On the loop.</summary>
    internal abstract void Take(in MessageView answer, long number, RequestTable table);

    /// <summary>No answer came in time. Called once, by whoever has taken it out of the table.</summary>
    internal abstract void TimeOut();

    /// <summary>No answer will come. As <see cref="TimeOut"/>.</summary>
    internal abstract void Fail(Exception reason);
}
