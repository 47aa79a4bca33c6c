namespace Broker.Cli.Top;

/// <summary>The order of the connections, the largest value first.</summary>
internal enum TopOrder
{
    /// <summary>By messages a second, both directions together.</summary>
    Rate,

    /// <summary>By bytes a second, both directions together.</summary>
    Bytes,

    /// <summary>By the bytes that wait for the client.</summary>
    Pending,

    /// <summary>By the number of subscriptions.</summary>
    Subscriptions,
}
