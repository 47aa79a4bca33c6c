using System.Buffers;
using System.Text;
using System.Text.RegularExpressions;

namespace Broker.Client;

/// <summary>Checks the names of services, and makes the subjects of their monitoring.</summary>
internal static partial class ServiceNames
{
    internal const string Ping = "PING";
    internal const string Info = "INFO";
    internal const string Stats = "STATS";

    private const string Prefix = "$SRV";
    private const int MaxVersionLength = 256;

    private static readonly SearchValues<char> OfNames = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

    /// <summary>Returns the subject of a question to all services, to those of a name, or to one instance.</summary>
    internal static string Subject(string verb, string? name, string? id)
        => name is null ? $"{Prefix}.{verb}" : id is null ? $"{Prefix}.{verb}.{name}" : $"{Prefix}.{verb}.{name}.{id}";

    /// <exception cref="ArgumentException">The name is not valid.</exception>
    internal static void Require(string name, string what, string parameter)
    {
        ArgumentNullException.ThrowIfNull(name, parameter);
        if (name.Length is 0 or > 128 || name.AsSpan().ContainsAnyExcept(OfNames))
        {
            throw new ArgumentException(
                $"'{name}' is not a valid {what}: it must have 1 to 128 characters, which are letters and digits of ASCII, '-' and '_'.", parameter);
        }
    }

    /// <exception cref="ArgumentException">The version is not valid.</exception>
    internal static void RequireVersion(string version, string parameter)
    {
        ArgumentNullException.ThrowIfNull(version, parameter);
        if (version.Length > MaxVersionLength || !SemanticVersion().IsMatch(version))
        {
            throw new ArgumentException($"'{version}' is not a valid version of a service: it must be a semantic version such as 1.2.3.", parameter);
        }
    }

    /// <exception cref="ArgumentException">The subject is not valid.</exception>
    internal static void RequireSubject(string subject, string parameter)
    {
        if (!Protocol.Subject.IsValidFilter(Encoding.UTF8.GetBytes(subject)))
        {
            throw new ArgumentException(
                $"'{subject}' is not a valid subject of an endpoint: it must consist of non-empty tokens separated by dots, without white space.", parameter);
        }
    }

    /// <exception cref="ArgumentException">The queue group is not valid.</exception>
    internal static void RequireQueueGroup(string group, string parameter)
    {
        ArgumentNullException.ThrowIfNull(group, parameter);
        if (group.Length != 0 && !Protocol.Subject.IsValidLiteral(Encoding.UTF8.GetBytes(group)))
        {
            throw new ArgumentException($"'{group}' is not a valid queue group: it must be a subject without wildcards, or empty for none.", parameter);
        }
    }

    [GeneratedRegex(
        @"^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?\z",
        RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex SemanticVersion();
}
