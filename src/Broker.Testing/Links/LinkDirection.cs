namespace Broker.Testing.Links;

/// <summary>One way through a <see cref="FaultLink"/>.</summary>
public enum LinkDirection
{
    /// <summary>From whoever connected to the link, to the address that it leads to.</summary>
    ToServer,

    /// <summary>Back.</summary>
    ToClient,
}
