namespace NetMQ;

/// <summary>The addresses that the constructor of a socket takes in one text.</summary>
internal static class ConnectionString
{
    /// <summary>Returns each address, and whether the socket binds it and does not connect to it.</summary>
    /// <param name="text">The text; null for no address.</param>
    /// <param name="defaultAction">The action for an address without a sign.</param>
    internal static IEnumerable<(string Address, bool Binds)> Parse(string? text, DefaultAction defaultAction)
        => (text ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(part => (part.TrimStart('@', '>'), Binds(part, defaultAction)));

    private static bool Binds(string part, DefaultAction defaultAction)
        => part[0] == '@' || (part[0] != '>' && defaultAction == DefaultAction.Bind);
}
