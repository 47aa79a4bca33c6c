namespace Broker.Server;

/// <summary>
/// The constant properties of a <see cref="Route"/>. They share one byte, because there are very many routes.
/// </summary>
[Flags]
internal enum RouteTraits : byte
{
    /// <summary>No property.</summary>
    None = 0,

    /// <summary><see cref="Route.IsEmpty"/>.</summary>
    Empty = 1,

    /// <summary><see cref="Route.IsRefused"/>.</summary>
    Refused = 2,

    /// <summary><see cref="Route.IsWide"/>.</summary>
    Wide = 4,

    /// <summary><see cref="Route.IsGroup"/>.</summary>
    Group = 8,

    /// <summary><see cref="Route.CanBatch"/>.</summary>
    Batchable = 16,

    /// <summary><see cref="Route.IsReserved"/>.</summary>
    Reserved = 32,
}
