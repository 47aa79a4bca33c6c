namespace NetMQ;

// Options that keep what the program sets, and have no other effect.
public partial class SocketOptions
{
    /// <summary>Has no effect: event loops serve the sockets.</summary>
    public long Affinity
    {
        get => Read().Affinity;
        set => Read().Affinity = value;
    }

    /// <summary>Has no effect: there is no multicast transport.</summary>
    public int MulticastRate
    {
        get => Read().MulticastRate;
        set => Read().MulticastRate = value;
    }

    /// <summary>Has no effect: there is no multicast transport.</summary>
    public TimeSpan MulticastRecoveryInterval
    {
        get => Read().MulticastRecoveryInterval;
        set => Read().MulticastRecoveryInterval = value;
    }

    /// <summary>Has no effect: there is no multicast transport.</summary>
    public int MulticastHops
    {
        get => Read().MulticastHops;
        set => Read().MulticastHops = value;
    }

    /// <summary>Has no effect: there is no multicast transport.</summary>
    /// <exception cref="InvalidException">The property is read.</exception>
    public int PgmMaxTransportServiceDataUnitLength
    {
        get => throw new InvalidException(null!, "The option has no value: there is no multicast transport.");
        set => _ = Read();
    }

    /// <summary>Has no effect: the listener has a queue of its own size.</summary>
    public int Backlog
    {
        get => Read().Backlog;
        set => Read().Backlog = value;
    }

    /// <summary>Has no effect: the socket resumes at half of the high-water mark.</summary>
    public int SendLowWatermark
    {
        get => Read().SendLowWatermark;
        set => Read().SendLowWatermark = value;
    }

    /// <summary>Has no effect: the socket resumes at half of the high-water mark.</summary>
    public int ReceiveLowWatermark
    {
        get => Read().ReceiveLowWatermark;
        set => Read().ReceiveLowWatermark = value;
    }

    /// <summary>Has no effect: the form of an address says which protocol it is of.</summary>
    public bool IPv4Only
    {
        get => Read().IPv4Only;
        set => Read().IPv4Only = value;
    }

    /// <summary>Has no effect: the kernel sends three probes.</summary>
    public int TcpKeepaliveCnt
    {
        get => Read().TcpKeepaliveCnt;
        set => Read().TcpKeepaliveCnt = value;
    }

    /// <summary>Has no effect: the kernel's probes are ten seconds apart.</summary>
    public TimeSpan TcpKeepaliveInterval
    {
        get => Read().TcpKeepaliveInterval;
        set => Read().TcpKeepaliveInterval = value;
    }

    /// <summary>Has no effect: a closed connection ends in order, so that nothing sent is lost.</summary>
    public bool DisableTimeWait
    {
        get => Read().DisableTimeWait;
        set => Read().DisableTimeWait = value;
    }

    /// <summary>Has no effect: the protocol has one order of bytes.</summary>
    public Endianness Endian
    {
        get => Read().Endian;
        set => Read().Endian = value;
    }
}
