namespace Broker.Hosting;

/// <summary>When a hosted consumer acknowledges a message.</summary>
public enum AcknowledgePolicy
{
    /// <summary>When the handler has returned without an exception.</summary>
    Handled,

    /// <summary>The same, and the next message follows when the server has confirmed the acknowledgement.</summary>
    Confirmed,

    /// <summary>The handler itself acknowledges each message. An exception of the handler still refuses it.</summary>
    ByHandler,
}
