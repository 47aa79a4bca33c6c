namespace Broker.Testing;

/// <summary>A direction through a <see cref="FaultLink"/>.</summary>
public enum LinkDirection
{
    /// <summary>From the program that connected to the link, to the target address.</summary>
    ToServer,

    /// <summary>From the target address to the program.</summary>
    ToClient,
}
