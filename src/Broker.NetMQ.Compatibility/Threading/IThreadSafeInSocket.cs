namespace NetMQ;

/// <summary>A socket that receives.</summary>
public interface IThreadSafeInSocket : IThreadSafeSocket;
