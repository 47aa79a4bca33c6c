namespace Broker.Cli.Tracing;

/// <summary>The way of a message.</summary>
/// <param name="Subject">The published subject.</param>
/// <param name="Account">The account of the publisher.</param>
/// <param name="User">The publisher; null for any client of the account.</param>
internal sealed record TraceReport(string Subject, string Account, string? User)
{
    /// <summary>The steps of the message, in their order.</summary>
    public List<string> Steps { get; } = [];

    public List<TraceReceiver> Receivers { get; } = [];

    /// <summary>The facts that are not known, one sentence each.</summary>
    public List<string> Notes { get; } = [];

    /// <summary>Whether somebody gets the message, or may get it.</summary>
    public bool IsDelivered => Receivers.Exists(static receiver => receiver.Outcome != TraceOutcome.No);
}
