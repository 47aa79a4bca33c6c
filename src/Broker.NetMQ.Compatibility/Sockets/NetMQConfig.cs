namespace NetMQ;

/// <summary>The settings that all sockets of the process share, and their common end.</summary>
public static class NetMQConfig
{
    /// <summary>The linger time that new sockets have. Default zero.</summary>
    public static TimeSpan Linger { get; set; }

    /// <summary>Kept for programs that set it. The event loops of Broker.ZeroMq choose their own number.</summary>
    public static int ThreadPoolSize { get; set; } = 1;

    /// <summary>Kept for programs that set it. The number of sockets has no limit.</summary>
    public static int MaxSockets { get; set; } = 1024;

    /// <summary>
    /// Closes all sockets of the process, also those that the program has not disposed. The next socket begins anew.
    /// </summary>
    /// <param name="block">Whether to wait until messages are sent, for up to the linger time of each socket.</param>
    public static void Cleanup(bool block = true) => SharedContext.Close(block);

    /// <summary>Does nothing.</summary>
    [Obsolete("The method has no effect.")]
    public static void ManualTerminationTakeOver()
    {
    }

    /// <inheritdoc cref="Cleanup"/>
    [Obsolete("Use Cleanup.")]
    public static void ContextTerminate(bool block = true) => Cleanup(block);

    /// <summary>Does nothing: the first socket creates what it needs.</summary>
    [Obsolete("The method has no effect.")]
    public static void ContextCreate(bool block = false)
    {
    }
}
