using System.Buffers;
using System.Text;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>Checks names before they become tokens of a subject.</summary>
internal static class Names
{
    private const int MaxLength = 255;

    private static readonly SearchValues<char> Forbidden = SearchValues.Create(" .*>/\\");

    /// <summary>Checks the name of a stream, a consumer or a domain.</summary>
    /// <exception cref="ArgumentException">The name is not valid.</exception>
    internal static void Require(string name, string parameter)
    {
        ArgumentNullException.ThrowIfNull(name, parameter);
        if (name.Length is 0 or > MaxLength || name.AsSpan().ContainsAny(Forbidden) || name.AsSpan().ContainsAnyInRange('\0', '\x1F'))
        {
            throw new ArgumentException(
                $"'{name}' is not a valid name: it must have 1 to 255 characters other than white space, '.', '*', '>', '/' and '\\'.", parameter);
        }
    }

    /// <exception cref="ArgumentException">The prefix is not a subject without wildcards.</exception>
    internal static void RequirePrefix(string prefix, string parameter)
    {
        if (prefix.Length > MaxLength || !Subject.IsValidLiteral(Encoding.UTF8.GetBytes(prefix)))
        {
            throw new ArgumentException($"'{prefix}' is not a valid prefix: it must be a subject without wildcards and without a dot at its end.", parameter);
        }
    }

    /// <exception cref="ArgumentException">The filter is not a valid subject, with or without wildcards.</exception>
    internal static void RequireFilter(string filter, string parameter)
    {
        ArgumentNullException.ThrowIfNull(filter, parameter);
        if (!Subject.IsValidFilter(Encoding.UTF8.GetBytes(filter)))
        {
            throw new ArgumentException($"'{filter}' is not a valid subject: it must consist of non-empty tokens separated by dots, without white space.", parameter);
        }
    }
}
