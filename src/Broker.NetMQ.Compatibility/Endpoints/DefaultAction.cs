namespace NetMQ;

/// <summary>The action for an address of a connection string without <c>@</c> and <c>&gt;</c>.</summary>
internal enum DefaultAction
{
    /// <summary>The socket connects.</summary>
    Connect = 0,

    /// <summary>The socket binds.</summary>
    Bind = 1,
}
