namespace Broker.Bridge;

/// <summary>The egress of a pipeline, as its route uses it. All methods run on the connection's loop.</summary>
internal interface IPipelineEgress
{
    /// <summary>Whether the egress takes messages.</summary>
    bool IsOpen { get; }

    /// <summary>Starts to take messages: a PULL program is connected.</summary>
    void Open();

    /// <summary>
    /// Stops taking messages, and returns the messages that PUSH has not taken, so that other egresses receive them.
    /// </summary>
    void Release();

    /// <summary>Passes queued messages to PUSH while it accepts them.</summary>
    void Drain();

    /// <summary>Must be called each second.</summary>
    void Tick();
}
