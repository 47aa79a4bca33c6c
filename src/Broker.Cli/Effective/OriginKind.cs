namespace Broker.Cli.Effective;

/// <summary>The kind of source of a setting.</summary>
internal enum OriginKind
{
    /// <summary>Nothing sets the value.</summary>
    Default,

    /// <summary>The configuration file.</summary>
    File,

    /// <summary>A file that the configuration file includes.</summary>
    Include,

    /// <summary>An environment variable that the file names.</summary>
    Environment,

    /// <summary>A flag of the command line.</summary>
    Flag,
}
