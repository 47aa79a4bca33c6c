namespace Broker.Cli.Configuration;

/// <summary>A position in a configuration file. Lines and columns start at 1.</summary>
internal readonly record struct ConfigPosition(string File, int Line, int Column)
{
    public override string ToString() => $"{File}:{Line}:{Column}";
}
