namespace Broker.Cli.Configuration;

/// <summary>One error or warning about a configuration file.</summary>
/// <param name="Message">The text for the user.</param>
/// <param name="Position">The position in the file.</param>
/// <param name="Meant">The most similar known key, if the error is an unknown key.</param>
/// <param name="Known">The keys that are valid at this position.</param>
internal sealed record ConfigProblem(
    string Message, ConfigPosition Position, string? Meant = null, IReadOnlyList<string>? Known = null)
{
    /// <summary>Whether <c>--ignore-unsupported</c> makes the error a warning.</summary>
    public bool CanBeIgnored { get; init; }

    public override string ToString()
        => CanBeIgnored ? $"{Message} at {Position} (broker serve --ignore-unsupported starts without it)"
            : Meant is null ? $"{Message} at {Position}"
            : $"{Message} at {Position}, did you mean \"{Meant}\"?";
}
