namespace NetMQ;

/// <summary>The arguments of an event of a beacon.</summary>
public class NetMQBeaconEventArgs : EventArgs
{
    /// <summary>Creates the arguments.</summary>
    public NetMQBeaconEventArgs(NetMQBeacon beacon) => Beacon = beacon;

    /// <summary>The beacon.</summary>
    public NetMQBeacon Beacon { get; }
}
