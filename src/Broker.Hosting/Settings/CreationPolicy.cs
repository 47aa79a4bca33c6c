namespace Broker.Hosting;

/// <summary>Whether a hosted consumer creates its stream or its consumer on the server.</summary>
public enum CreationPolicy
{
    /// <summary>It must exist; otherwise the host does not start.</summary>
    Never,

    /// <summary>It is created if there is none. An existing one is used as it is.</summary>
    IfMissing,

    /// <summary>It is created, or its configuration is changed to that of the settings.</summary>
    CreateOrUpdate,
}
