using System.Globalization;
using System.Text;

namespace Broker.Server;

/// <summary>Reads a token of a mapping's destination. The names of functions are case-insensitive.</summary>
internal static class TokenParser
{
    private const string Open = "{{";
    private const string Close = "}}";
    private const string NoWildcard = "refers to a wildcard that the source does not have";
    private const int MaxWildcard = 255;

    /// <summary>The number in <c>$1</c> or <c>{{wildcard(1)}}</c>; 0 for any other token.</summary>
    internal static int WildcardNumber(string token)
    {
        int number = Dollar(token) ?? 0;
        if (Call(token) is ({ } name, [var argument]) && name.Equals("wildcard", StringComparison.OrdinalIgnoreCase))
        {
            _ = int.TryParse(argument, NumberStyles.None, CultureInfo.InvariantCulture, out number);
        }

        return number <= MaxWildcard ? number : 0;
    }

    /// <summary>Whether a token has the form of a function: <c>{{name(argument, argument)}}</c>.</summary>
    internal static bool IsCall(string token) => Call(token).Name is not null;

    /// <summary>Parses a token. Returns null and a problem if the token is not valid.</summary>
    /// <param name="token">The text between two dots.</param>
    /// <param name="wildcards">The positions of the wildcards among the tokens of the source.</param>
    /// <param name="problem">The reason why the token is not valid; null if it is valid.</param>
    internal static TransformToken? Read(string token, int[] wildcards, out string? problem)
    {
        if (Call(token) is ({ } name, var arguments))
        {
            TransformToken? function = Function(name, arguments, wildcards, out problem);
            problem = problem is null ? null : $"'{token}' {problem}";
            return function;
        }

        if (Dollar(token) is { } number)
        {
            problem = IsWildcard(number, wildcards) ? null : $"'{token}' {NoWildcard}";
            return problem is null ? Wildcard(number, wildcards) : null;
        }

        problem = token is "*" ? "a destination must not have '*': use $1, $2"
            : token.Contains(Open, StringComparison.Ordinal)
                ? $"'{token}' is not a function: write the whole token as {{{{name(arguments)}}}}, in quotes"
            : null;
        return problem is null ? new TransformToken(TokenFunction.Literal, Encoding.UTF8.GetBytes(token), 0, []) : null;
    }

    // Splits {{name(argument, argument)}}.
    private static (string? Name, string[] Arguments) Call(string token)
        => token.StartsWith(Open, StringComparison.Ordinal) && token.EndsWith(Close, StringComparison.Ordinal)
            && token[Open.Length..^Close.Length].Trim() is [.., ')'] inner
            && inner.IndexOf('(', StringComparison.Ordinal) is > 0 and var open
            ? (inner[..open].Trim(), inner[(open + 1)..^1].Split(',', StringSplitOptions.TrimEntries))
            : (null, []);

    // Returns the number of a token such as $1. As in nats-server, other tokens with a dollar are literals.
    private static int? Dollar(string token)
        => token is ['$', .. var digits] && int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? number
            : null;

    private static TransformToken? Function(string name, string[] arguments, int[] wildcards, out string? problem)
    {
        problem = null;
        switch (name.ToUpperInvariant())
        {
            case "WILDCARD":
                return Of(TokenFunction.Wildcard, 1, arguments, wildcards, ref problem);
            case "PARTITION":
                return Partition(arguments, wildcards, ref problem);
            case "RANDOM":
                int limit = Number(arguments[0], 1, ref problem);
                problem ??= arguments.Length == 1 ? null : "must have one argument";
                return problem is null ? new TransformToken(TokenFunction.Random, [], limit, []) : null;
            case "SPLIT":
                TransformToken? split = Of(TokenFunction.Split, 2, arguments, wildcards, ref problem);
                problem ??= arguments[1].Length == 0 ? "must have a text to split at" : null;
                return problem is null ? split! with { Text = Encoding.UTF8.GetBytes(arguments[1]) } : null;
            case "SPLITFROMLEFT":
                return WithLength(TokenFunction.SplitFromLeft, arguments, wildcards, ref problem);
            case "SPLITFROMRIGHT":
                return WithLength(TokenFunction.SplitFromRight, arguments, wildcards, ref problem);
            case "SLICEFROMLEFT":
                return WithLength(TokenFunction.SliceFromLeft, arguments, wildcards, ref problem);
            case "SLICEFROMRIGHT":
                return WithLength(TokenFunction.SliceFromRight, arguments, wildcards, ref problem);
            case "LEFT":
                return WithLength(TokenFunction.Left, arguments, wildcards, ref problem);
            case "RIGHT":
                return WithLength(TokenFunction.Right, arguments, wildcards, ref problem);
            default:
                problem = "is not a known function";
                return null;
        }
    }

    // Reads a function that has the number of a wildcard as its first argument.
    private static TransformToken? Of(
        TokenFunction function, int count, string[] arguments, int[] wildcards, ref string? problem)
    {
        int number = Number(arguments[0], 1, ref problem);
        problem ??= arguments.Length != count ? $"must have {(count == 1 ? "one argument" : "two arguments")}"
            : !IsWildcard(number, wildcards) ? NoWildcard
            : null;
        return problem is null ? Wildcard(number, wildcards) with { Function = function } : null;
    }

    private static TransformToken? WithLength(
        TokenFunction function, string[] arguments, int[] wildcards, ref string? problem)
    {
        TransformToken? token = Of(function, 2, arguments, wildcards, ref problem);
        int length = problem is null ? Number(arguments[1], 0, ref problem) : 0;
        return problem is null ? token! with { Number = length } : null;
    }

    // The first argument is the number of partitions, and the other arguments are numbers of wildcards. Without
    // wildcards, the partition depends on the whole subject.
    private static TransformToken? Partition(string[] arguments, int[] wildcards, ref string? problem)
    {
        int count = Number(arguments[0], 1, ref problem);
        var sources = new List<int>();
        foreach (string argument in arguments[1..])
        {
            int number = Number(argument, 1, ref problem);
            problem ??= IsWildcard(number, wildcards) ? null : NoWildcard;
            if (problem is null)
            {
                sources.Add(wildcards[number - 1]);
            }
        }

        return problem is null ? new TransformToken(TokenFunction.Partition, [], count, [.. sources]) : null;
    }

    private static int Number(string text, int least, ref string? problem)
    {
        bool isNumber = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= least;
        problem ??= isNumber ? null : $"needs a whole number from {least} to {int.MaxValue}, not '{text}'";
        return number;
    }

    private static bool IsWildcard(int number, int[] wildcards) => number > 0 && number <= wildcards.Length;

    private static TransformToken Wildcard(int number, int[] wildcards)
        => new(TokenFunction.Wildcard, [], 0, [wildcards[number - 1]]);
}
