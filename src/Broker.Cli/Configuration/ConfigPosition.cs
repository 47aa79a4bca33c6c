namespace Broker.Cli.Configuration;

/// <summary>Where something stands in a configuration file; line and column count from 1.</summary>
internal readonly record struct ConfigPosition(string File, int Line, int Column)
{
    public override string ToString() => $"{File}:{Line}:{Column}";
}
