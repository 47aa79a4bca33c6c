namespace NetMQ;

/// <summary>Reads the flags of <see cref="PollEvents"/>.</summary>
public static class PollEventsExtensions
{
    /// <summary>Whether a message can be received.</summary>
    public static bool HasIn(this PollEvents pollEvents) => (pollEvents & PollEvents.PollIn) != PollEvents.None;

    /// <summary>Whether a message can be sent.</summary>
    public static bool HasOut(this PollEvents pollEvents) => (pollEvents & PollEvents.PollOut) != PollEvents.None;

    /// <summary>Whether the socket has an error.</summary>
    public static bool HasError(this PollEvents pollEvents) => (pollEvents & PollEvents.PollError) != PollEvents.None;
}
