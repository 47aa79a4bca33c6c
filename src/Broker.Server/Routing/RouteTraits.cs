namespace Broker.Server.Routing;

/// <summary>What is known of a <see cref="Route"/> from its making: there are very many, and a byte holds all of it.</summary>
[Flags]
internal enum RouteTraits : byte
{
    /// <summary>Nothing of this.</summary>
    None = 0,

    /// <summary><see cref="Route.IsEmpty"/>.</summary>
    Empty = 1,

    /// <summary><see cref="Route.IsRefused"/>.</summary>
    Refused = 2,

    /// <summary><see cref="Route.IsSilent"/>.</summary>
    Silent = 4,

    /// <summary><see cref="Route.IsWide"/>.</summary>
    Wide = 8,

    /// <summary><see cref="Route.IsGroup"/>.</summary>
    Group = 16,

    /// <summary><see cref="Route.MayRun"/>.</summary>
    Runs = 32,
}
